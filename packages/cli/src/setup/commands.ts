import type { CommandSpec } from '../command.ts'

export const SETUP_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'init',
    summary: 'Choose a deployment, and pin its keys',
    options: [
      ['--origin <url>', 'an origin that the deployment allows; some services require one'],
      ['--realm <realm>', 'its realm, if that is not the origin of core'],
      ['--did <did>', 'act as this identity, whose keys are on this machine or, with --signer, in that program'],
      ['--signer <command...>', 'a program that holds the root key, and its arguments'],
    ],
    result: ['profile', 'core', 'realm', 'origin', 'docs', 'did', 'signer', 'lineage', 'device', 'trust', 'keys'],
    examples: [
      'svc init --core http://localhost:8787',
      'svc init --profile work --core https://core.example',
      'svc init --did did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz --signer node signer.mjs',
    ],
    run: async (context, given) => (await import('./init.ts')).init(context, given),
  },
  {
    path: 'doctor',
    summary: 'Check the clock, the services, their versions and keys, and yours',
    result: ['ok', 'checks'],
    examples: ['svc doctor', 'svc doctor --json'],
    run: async (context) => (await import('./doctor.ts')).doctor(context),
  },
  {
    path: 'whoami',
    summary: 'Show the profile, the deployment and the identity in use',
    result: ['profile', 'core', 'realm', 'did', 'keys'],
    examples: ['svc whoami'],
    run: async (context) => (await import('./whoami.ts')).whoami(context),
  },
  {
    path: 'status',
    summary: 'Show which sheets and files can recover this identity, and how soon',
    result: ['did', 'epoch', 'sheets', 'hasFile', 'meaning'],
    examples: ['svc status'],
    page: '/developer/successors',
    run: async (context) => (await import('../sheets/status.ts')).status(context),
  },
  {
    path: 'capabilities',
    summary: 'Show what the deployment supports',
    result: 'CapabilitiesData of core',
    examples: ['svc capabilities --json'],
    run: async (context) => (await import('./whoami.ts')).capabilities(context),
  },
  {
    path: 'completion',
    summary: 'Print the completion script of a shell',
    args: ['<shell>'],
    result: ['shell', 'script'],
    examples: ['svc completion bash', 'svc completion zsh'],
    run: async (_, given) => (await import('./completion.ts')).completion(given),
  },
]
