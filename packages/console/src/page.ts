import type { Configuration } from './configuration.ts'

/** What a page of the console is given. */
export interface PageProps {
  readonly configuration: Configuration
  readonly path: string
}
