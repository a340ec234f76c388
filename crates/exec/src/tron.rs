//! x
/// x
pub struct Tron;
/// x
pub struct TronSettings;
