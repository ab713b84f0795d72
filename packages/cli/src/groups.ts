import type { CommandSpec } from './command.ts'
import { EXPLAIN_COMMANDS } from './explain/commands.ts'
import { IDENTITY_COMMANDS } from './identity/commands.ts'
import { SETUP_COMMANDS } from './setup/commands.ts'
import { VERIFY_COMMANDS } from './verify/commands.ts'

export interface Group {
  /** Null for commands of one word. */
  readonly name: string | null
  readonly summary: string
  readonly commands: readonly CommandSpec[]
}

/** The tree, in the order of `--help`. */
export const GROUPS: readonly Group[] = [
  { name: null, summary: '', commands: [...SETUP_COMMANDS, ...VERIFY_COMMANDS] },
  { name: 'id', summary: 'Identities and their keys on this machine', commands: IDENTITY_COMMANDS },
  { name: 'explain', summary: 'Say what something means, offline', commands: EXPLAIN_COMMANDS },
]
