#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

/* Binds bytes that stay where they are until the step is done. SQLITE_STATIC is a cast that Swift cannot spell. */
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count)
{
    return sqlite3_bind_blob64(statement, place, bytes, count, SQLITE_STATIC);
}

/* sqlite3_db_config is variadic. */
static inline int csqlite_set_defensive(sqlite3 *database)
{
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

static inline int csqlite_set_checkpoint_on_close(sqlite3 *database, int is_on)
{
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !is_on, (int *)0);
}

/* Has each commit say how many frames the log has then; SQLite no longer merges it by itself. */
static int csqlite_note_frames(void *count, sqlite3 *database, const char *name, int frames)
{
    (void)database;
    (void)name;
    *(int *)count = frames;
    return SQLITE_OK;
}

static inline void csqlite_count_frames(sqlite3 *database, int *count)
{
    sqlite3_wal_hook(database, csqlite_note_frames, count);
}

/* The file that a database is in, and what its methods do. */
static inline sqlite3_file *csqlite_file(sqlite3 *database)
{
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return code == SQLITE_OK && file && file->pMethods ? file : 0;
}

static inline int csqlite_file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return file->pMethods->xFileSize(file, size);
}

static inline int csqlite_file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 place)
{
    return file->pMethods->xRead(file, bytes, count, place);
}

static inline int csqlite_file_write(
    sqlite3_file *file, const void *bytes, int count, sqlite3_int64 place)
{
    return file->pMethods->xWrite(file, bytes, count, place);
}

static inline int csqlite_file_sync(sqlite3_file *file)
{
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

#endif
