//! What differs between operating systems.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{
    HOME_VARIABLE, allow_many_files, make_stdio_block, profile_dir, settle_signals, stop_signal,
    takes_colours, user_config_dir, user_data_dir, widen_output,
};
#[cfg(windows)]
pub(crate) use windows::{
    HOME_VARIABLE, allow_many_files, make_stdio_block, profile_dir, settle_signals, stop_signal,
    takes_colours, user_config_dir, user_data_dir, widen_output,
};
