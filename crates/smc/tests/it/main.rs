//! Estimators against definitions, published figures, and their own promises.

mod truths;
