//! Tests of the readers and writers, through their public interface.
