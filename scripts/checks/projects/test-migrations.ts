/** The migrations that the setup file applies before each test file, to all databases, including those of bound Workers. */
export type TestMigrations = {
  binding: string
  migrations: { name: string; queries: string[] }[]
}

/** What the operator would have put into a service's bucket before it starts. */
export type TestLogList = {
  /** Null for a Worker that keeps no log. */
  bucket: string | null
  files: { key: string; text: string }[]
}
