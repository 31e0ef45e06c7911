// The functions of libarchive that device images need. It has eleven libraries of its own, so it is a part of ttsim
// (base/part.hpp): only commands on images load them.
#pragma once

#include <archive.h>
#include <archive_entry.h>

namespace ttsim::impl::image {

struct LibarchiveFunctions {
    decltype(&::archive_entry_filetype) archive_entry_filetype = &::archive_entry_filetype;
    decltype(&::archive_entry_free) archive_entry_free = &::archive_entry_free;
    decltype(&::archive_entry_hardlink) archive_entry_hardlink = &::archive_entry_hardlink;
    decltype(&::archive_entry_new) archive_entry_new = &::archive_entry_new;
    decltype(&::archive_entry_pathname) archive_entry_pathname = &::archive_entry_pathname;
    decltype(&::archive_entry_set_filetype) archive_entry_set_filetype = &::archive_entry_set_filetype;
    decltype(&::archive_entry_set_mtime) archive_entry_set_mtime = &::archive_entry_set_mtime;
    decltype(&::archive_entry_set_pathname) archive_entry_set_pathname = &::archive_entry_set_pathname;
    decltype(&::archive_entry_set_perm) archive_entry_set_perm = &::archive_entry_set_perm;
    decltype(&::archive_entry_set_size) archive_entry_set_size = &::archive_entry_set_size;
    decltype(&::archive_entry_size) archive_entry_size = &::archive_entry_size;
    decltype(&::archive_entry_size_is_set) archive_entry_size_is_set = &::archive_entry_size_is_set;
    decltype(&::archive_entry_sparse_count) archive_entry_sparse_count = &::archive_entry_sparse_count;
    decltype(&::archive_entry_symlink) archive_entry_symlink = &::archive_entry_symlink;
    decltype(&::archive_errno) archive_errno = &::archive_errno;
    decltype(&::archive_error_string) archive_error_string = &::archive_error_string;
    decltype(&::archive_filter_bytes) archive_filter_bytes = &::archive_filter_bytes;
    decltype(&::archive_filter_count) archive_filter_count = &::archive_filter_count;
    decltype(&::archive_format) archive_format = &::archive_format;
    decltype(&::archive_read_data_block) archive_read_data_block = &::archive_read_data_block;
    decltype(&::archive_read_free) archive_read_free = &::archive_read_free;
    decltype(&::archive_read_header_position) archive_read_header_position = &::archive_read_header_position;
    decltype(&::archive_read_new) archive_read_new = &::archive_read_new;
    decltype(&::archive_read_next_header) archive_read_next_header = &::archive_read_next_header;
    decltype(&::archive_read_open_memory) archive_read_open_memory = &::archive_read_open_memory;
    decltype(&::archive_read_support_filter_bzip2) archive_read_support_filter_bzip2 =
        &::archive_read_support_filter_bzip2;
    decltype(&::archive_read_support_filter_gzip) archive_read_support_filter_gzip =
        &::archive_read_support_filter_gzip;
    decltype(&::archive_read_support_filter_xz) archive_read_support_filter_xz = &::archive_read_support_filter_xz;
    decltype(&::archive_read_support_filter_zstd) archive_read_support_filter_zstd =
        &::archive_read_support_filter_zstd;
    decltype(&::archive_read_support_format_tar) archive_read_support_format_tar = &::archive_read_support_format_tar;
    decltype(&::archive_read_support_format_zip) archive_read_support_format_zip = &::archive_read_support_format_zip;
    decltype(&::archive_write_close) archive_write_close = &::archive_write_close;
    decltype(&::archive_write_data) archive_write_data = &::archive_write_data;
    decltype(&::archive_write_free) archive_write_free = &::archive_write_free;
    decltype(&::archive_write_header) archive_write_header = &::archive_write_header;
    decltype(&::archive_write_new) archive_write_new = &::archive_write_new;
    decltype(&::archive_write_open_filename) archive_write_open_filename = &::archive_write_open_filename;
    decltype(&::archive_write_set_bytes_in_last_block) archive_write_set_bytes_in_last_block =
        &::archive_write_set_bytes_in_last_block;
    decltype(&::archive_write_set_format_gnutar) archive_write_set_format_gnutar = &::archive_write_set_format_gnutar;
};

/// Loads the part at the first call.
const LibarchiveFunctions& libarchive();

}  // namespace ttsim::impl::image
