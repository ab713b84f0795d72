import type { CommandSpec } from '../command.ts'

export const EPOCH_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'epoch show',
    summary: 'Show the open epoch of the key directory; ends with 4 if there is none',
    result: 'CurrentEpoch of keys',
    examples: ['svc epoch show'],
    page: '/developer/keys#epochs',
    run: async (context) => (await import('./epoch.ts')).showEpoch(context),
  },
  {
    path: 'epoch join',
    summary: 'Join the open epoch, and acknowledge it',
    result: 'EpochMember of keys',
    examples: ['svc epoch join'],
    page: '/developer/keys#epochs',
    run: async (context) => (await import('./epoch.ts')).joinEpoch(context),
  },
]
