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

#endif
