import { ANCHOR_COMMANDS } from './anchor/commands.ts'
import { ASSET_COMMANDS } from './asset/commands.ts'
import { CHAIN_COMMANDS } from './chain/commands.ts'
import { DEVICE_COMMANDS } from './device/commands.ts'
import { DID_COMMANDS } from './did/commands.ts'
import { EXPLAIN_COMMANDS } from './explain/commands.ts'
import type { Group } from './group.ts'
import { IDENTITY_COMMANDS } from './identity/commands.ts'
import { RECORD_COMMANDS, RECORD_GROUPS } from './records/commands.ts'
import { GUARDIAN_COMMANDS, RECOVERY_COMMANDS, ROTATE_COMMANDS } from './rotation/commands.ts'
import { SETUP_COMMANDS } from './setup/commands.ts'
import { VERIFY_COMMANDS } from './verify/commands.ts'

/** The tree, in the order of `--help`. */
export const GROUPS: readonly Group[] = [
  { name: null, summary: '', commands: [...SETUP_COMMANDS, ...VERIFY_COMMANDS, ...RECORD_COMMANDS] },
  { name: 'explain', summary: 'Say what something means, offline', commands: EXPLAIN_COMMANDS },
  { name: 'id', summary: 'Identities and their keys on this machine', commands: IDENTITY_COMMANDS },
  { name: 'did', summary: 'DID documents', commands: DID_COMMANDS },
  { name: 'chain', summary: 'The signed chain of this identity', commands: CHAIN_COMMANDS },
  { name: 'anchor', summary: 'Stamps of files in the public log', commands: ANCHOR_COMMANDS },
  { name: 'asset', summary: 'Assets, and who owns them', commands: ASSET_COMMANDS },
  { name: 'device', summary: 'Devices of this identity', commands: DEVICE_COMMANDS },
  { name: 'rotate', summary: 'Replace the root key, or stop that', commands: ROTATE_COMMANDS },
  { name: 'recovery', summary: 'Get an identity back', commands: RECOVERY_COMMANDS },
  { name: 'guardian', summary: 'Attestations by guardians', commands: GUARDIAN_COMMANDS },
  ...RECORD_GROUPS,
]
