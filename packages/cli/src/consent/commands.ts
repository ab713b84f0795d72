import type { CommandSpec } from '../command.ts'

export const CONSENT_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'consent set',
    summary: 'Declare what machines may do with content, and show what to publish with it',
    args: ['<identifier>'],
    options: [
      ['--training <choice>', 'training of AI models: allow or disallow'],
      ['--search <choice>', 'search: allow or disallow'],
    ],
    result: 'ConsentRecord of consent',
    examples: ['svc consent set https://photos.example/1.jpg --training disallow'],
    page: '/developer/consent',
    run: async (context, given) => (await import('./consent.ts')).setConsent(context, given),
  },
  {
    path: 'consent get',
    summary: 'Show what is declared, by whom and since when, verified',
    args: ['<identifier>'],
    result: 'ConsentRecord or ConsentMiss of consent',
    examples: ['svc consent get https://photos.example/1.jpg'],
    run: async (context, given) => (await import('./consent.ts')).getConsent(context, given),
  },
  {
    path: 'consent history',
    summary: 'Show every declaration, with its signature verified',
    args: ['<identifier>'],
    result: ['creatorDid', 'acts', 'claims'],
    examples: ['svc consent history https://photos.example/1.jpg'],
    run: async (context, given) => (await import('./consent.ts')).consentHistory(context, given),
  },
  {
    path: 'consent batch',
    summary: 'Look up many identifiers at once, one a line; svc consent get verifies one',
    args: ['<file>'],
    result: ['results'],
    examples: ['svc consent batch identifiers.txt', 'svc consent batch - --json <identifiers.txt'],
    run: async (context, given) => (await import('./consent.ts')).consentBatch(context, given),
  },
  {
    path: 'consent snapshot',
    summary: 'Look identifiers up in a signed snapshot, so that the service learns only their buckets',
    args: ['<identifiers...>'],
    result: ['at', 'results'],
    examples: ['svc consent snapshot https://photos.example/1.jpg'],
    page: '/developer/consent',
    run: async (context, given) => (await import('./consent.ts')).consentSnapshot(context, given),
  },
  {
    path: 'consent revoke',
    summary: 'Take a declaration back; its history stays',
    args: ['<identifier>'],
    result: 'RevokedConsent of consent',
    examples: ['svc consent revoke https://photos.example/1.jpg --yes'],
    run: async (context, given) => (await import('./consent.ts')).revokeConsent(context, given),
  },
]
