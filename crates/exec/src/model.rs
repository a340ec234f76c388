//! x
/// x
pub struct Played;
/// x
pub struct ModelOptions;
/// x
pub struct Policy;
/// x
pub struct Refusal;
