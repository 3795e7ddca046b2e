#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

/* The destructor that makes SQLite copy what is bound: a cast that Swift cannot spell. */
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count)
{
    return sqlite3_bind_blob64(statement, place, bytes, count, SQLITE_STATIC);
}

/* sqlite3_db_config is variadic. */
static inline int csqlite_set_defensive(sqlite3 *database)
{
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

#endif
