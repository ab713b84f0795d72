import type { CommandSpec } from './command.ts'

export interface Group {
  /** Null for commands of one word. */
  readonly name: string | null
  readonly summary: string
  readonly commands: readonly CommandSpec[]
}
