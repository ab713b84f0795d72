/** What the setup file applies before each test file: every database in reach, also those of bound Workers. */
export type TestMigrations = {
  binding: string
  migrations: { name: string; queries: string[] }[]
}
