import type { CommandSpec } from '../command.ts'

export const REQUEST_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'quota',
    summary: 'Show what this identity has used, and what is left',
    result: ['meters', 'stored'],
    examples: ['svc quota', 'svc quota --json'],
    page: '/developer/limits',
    run: async (context) => (await import('../pay/payments.ts')).quota(context),
  },
  {
    path: 'request',
    summary: 'Send one signed request to a service of the deployment',
    args: ['<method>', '<url>'],
    options: [
      ['--aud <audience>', 'sign it for this audience'],
      ['-d, --data <file>', 'a file of JSON to send; - is standard input'],
      ['--bytes <file>', 'a file to send as it is'],
      ['--form <fields...>', 'fields of a form, each NAME=VALUE'],
      ['--header <headers...>', 'more headers, each NAME=VALUE'],
    ],
    result: ['status', 'headers', 'body'],
    examples: [
      'svc request GET /api/capabilities',
      'svc request GET /api/chain/head --aud chain',
      'svc request POST /api/pqc/verify --data signed.json',
    ],
    page: '/developer/assertions',
    run: async (context, given) => (await import('./request.ts')).request(context, given),
  },
]
