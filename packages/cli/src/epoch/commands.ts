import type { CommandSpec } from '../command.ts'

const EPOCH = '<epoch>'
const NOTE = '<note>'
const EXPECT = ['--expect <dids...>', 'who may be in the vault; nothing is encrypted for anybody else'] as const
const ENTRY = ['noteId', 'author', 'version', 'generation', 'writtenAt']

export const EPOCH_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'epoch show',
    summary: 'Show the open epoch of the key directory; ends with 4 if there is none',
    result: 'CurrentEpoch of keys',
    examples: ['svc epoch show'],
    page: '/developer/epoch-vault',
    run: async (context) => (await import('./epoch.ts')).showEpoch(context),
  },
  {
    path: 'epoch join',
    summary: 'Join the open epoch, and acknowledge it',
    result: 'EpochMember of keys',
    examples: ['svc epoch join'],
    page: '/developer/epoch-vault',
    run: async (context) => (await import('./epoch.ts')).joinEpoch(context),
  },
]

export const VAULT_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'vault members',
    summary: 'List who is in the vault of an epoch, as the service says',
    args: [EPOCH],
    options: [EXPECT],
    result: ['epoch', 'members', 'unexpected'],
    examples: ['svc vault members 7'],
    page: '/developer/epoch-vault',
    run: async (context, given) => (await import('./vault.ts')).members(context, given),
  },
  {
    path: 'vault list',
    summary: 'List the notes of a vault, each verified to be by a member',
    args: [EPOCH],
    result: ['notes'],
    examples: ['svc vault list 7'],
    run: async (context, given) => (await import('./vault.ts')).listNotes(context, given),
  },
  {
    path: 'vault write',
    summary: 'Encrypt a note for the members of a vault, or the next version of your own',
    args: [EPOCH],
    options: [
      ['--file <file>', 'its text; - is standard input'],
      ['--title <title>', 'its title'],
      ['--over <note>', 'the note that this is the next version of'],
      EXPECT,
    ],
    result: ENTRY,
    examples: ['svc vault write 7 --title Plan --file plan.txt'],
    page: '/developer/epoch-vault',
    run: async (context, given) => (await import('./vault.ts')).writeNote(context, given),
  },
  {
    path: 'vault read',
    summary: 'Decrypt and show a note of a vault',
    args: [EPOCH, NOTE],
    result: [...ENTRY, 'title', 'body'],
    examples: ['svc vault read 7 NOTE'],
    run: async (context, given) => (await import('./vault.ts')).readNote(context, given),
  },
  {
    path: 'vault delete',
    summary: 'Delete your own note in a vault',
    args: [EPOCH, NOTE],
    result: ['noteId'],
    examples: ['svc vault delete 7 NOTE --yes'],
    run: async (context, given) => (await import('./vault.ts')).deleteNote(context, given),
  },
  {
    path: 'vault leave',
    summary: 'Leave a vault, and delete your notes there',
    args: [EPOCH],
    result: ['epoch'],
    examples: ['svc vault leave 7 --yes'],
    run: async (context, given) => (await import('./vault.ts')).leave(context, given),
  },
]
