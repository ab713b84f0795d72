import type { CommandSpec } from '../command.ts'

export const DID_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'did register',
    summary: 'Publish the DID document, so that others can resolve it',
    options: [['--services <file>', 'JSON list of services for the document']],
    result: 'Registration of did',
    examples: ['svc did register'],
    page: '/developer/did',
    run: async (context, given) => (await import('./did.ts')).register(context, given),
  },
  {
    path: 'did resolve',
    summary: 'Resolve a DID, and verify the document',
    args: ['[did]'],
    options: [['--version-id <n>', 'the document under an earlier root key, from 0']],
    result: 'ResolutionResult of did',
    examples: [
      'svc did resolve did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz --json',
      'svc did resolve did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz --version-id 0',
    ],
    run: async (context, given) => (await import('./did.ts')).resolveDid(context, given),
  },
]
