import { ANCHOR_COMMANDS } from './anchor/commands.ts'
import { ASSET_COMMANDS } from './asset/commands.ts'
import { CHAIN_COMMANDS } from './chain/commands.ts'
import { CONSENT_COMMANDS } from './consent/commands.ts'
import { CONTENT_COMMANDS } from './content/commands.ts'
import { DEVICE_COMMANDS } from './device/commands.ts'
import { DID_COMMANDS } from './did/commands.ts'
import { DIRECTORY_COMMANDS } from './directory/commands.ts'
import { EPOCH_COMMANDS } from './epoch/commands.ts'
import { EXPLAIN_COMMANDS } from './explain/commands.ts'
import { GOVERNANCE_COMMANDS } from './governance/commands.ts'
import type { Group } from './group.ts'
import { IDENTITY_COMMANDS } from './identity/commands.ts'
import { IMAGE_COMMANDS, VIDEO_COMMANDS } from './image/commands.ts'
import { INBOX_COMMANDS } from './inbox/commands.ts'
import { NOTE_COMMANDS } from './note/commands.ts'
import { ORG_COMMANDS } from './org/commands.ts'
import { PAY_COMMANDS } from './pay/commands.ts'
import { CAPSULE_COMMANDS, COMMITMENT_COMMANDS, TEXT_COMMANDS } from './provenance/commands.ts'
import { REQUEST_COMMANDS } from './request/commands.ts'
import { GUARDIAN_COMMANDS, RECOVERY_COMMANDS, ROTATE_COMMANDS } from './rotation/commands.ts'
import { SCHEMA_COMMANDS } from './schema/commands.ts'
import { SETUP_COMMANDS } from './setup/commands.ts'
import { SIGN_IN_COMMANDS } from './signin/commands.ts'
import { VERIFY_COMMANDS } from './verify/commands.ts'

/** The tree, in the order of `--help`. */
export const GROUPS: readonly Group[] = [
  {
    name: null,
    summary: '',
    commands: [...SETUP_COMMANDS, ...VERIFY_COMMANDS, ...REQUEST_COMMANDS, ...SCHEMA_COMMANDS],
  },
  { name: 'explain', summary: 'Say what something means, offline', commands: EXPLAIN_COMMANDS },
  { name: 'id', summary: 'Identities and their keys on this machine', commands: IDENTITY_COMMANDS },
  { name: 'did', summary: 'DID documents', commands: DID_COMMANDS },
  { name: 'chain', summary: 'The signed chain of this identity', commands: CHAIN_COMMANDS },
  { name: 'anchor', summary: 'Stamps of files in the public log', commands: ANCHOR_COMMANDS },
  { name: 'asset', summary: 'Assets, and who owns them', commands: ASSET_COMMANDS },
  { name: 'content', summary: 'Content of IPFS that the deployment keeps', commands: CONTENT_COMMANDS },
  { name: 'governance', summary: 'The policy of the deployment, and its signers', commands: GOVERNANCE_COMMANDS },
  { name: 'device', summary: 'Devices of this identity', commands: DEVICE_COMMANDS },
  { name: 'rotate', summary: 'Replace the root key, or stop that', commands: ROTATE_COMMANDS },
  { name: 'recovery', summary: 'Recover an identity', commands: RECOVERY_COMMANDS },
  { name: 'guardian', summary: 'Attestations by guardians', commands: GUARDIAN_COMMANDS },
  { name: 'note', summary: 'Encrypted notes', commands: NOTE_COMMANDS },
  { name: 'inbox', summary: 'Messages to this identity, and to others', commands: INBOX_COMMANDS },
  { name: 'org', summary: 'Organizations, their officers and members', commands: ORG_COMMANDS },
  { name: 'consent', summary: 'What machines may do with content', commands: CONSENT_COMMANDS },
  { name: 'capsule', summary: 'Registrations of files', commands: CAPSULE_COMMANDS },
  { name: 'text', summary: 'Registrations of texts', commands: TEXT_COMMANDS },
  { name: 'image', summary: 'Registrations of images, by what they look like', commands: IMAGE_COMMANDS },
  { name: 'video', summary: 'Registrations of videos, by what they look like', commands: VIDEO_COMMANDS },
  { name: 'commitment', summary: 'Commitments to files that stay secret', commands: COMMITMENT_COMMANDS },
  { name: 'pay', summary: 'Offers and payments', commands: PAY_COMMANDS },
  { name: 'directory', summary: 'The key directory and its logs', commands: DIRECTORY_COMMANDS },
  { name: 'epoch', summary: 'Epochs of the key directory', commands: EPOCH_COMMANDS },
  { name: 'signin', summary: 'Accounts with a password, for people; keys need none', commands: SIGN_IN_COMMANDS },
]
