import type { CommandSpec } from '../command.ts'

export const EXPLAIN_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'explain assertion',
    summary: 'Say why a service would refuse an assertion',
    args: ['<assertion>'],
    options: [
      ['--method <method>', 'of the request that carried it (default: GET)'],
      ['--url <url>', 'the address that it was sent to'],
      ['--data <file>', 'the body'],
    ],
    result: ['ok', 'code', 'member', 'text', 'unknown'],
    examples: ["svc explain assertion 'ServiceAssertion …' --url http://localhost:8787/api/chain/head"],
    page: '/developer/assertions',
    run: async (context, given) => (await import('./explain.ts')).explainAssertion(context, given),
  },
  {
    path: 'explain block',
    summary: 'Show what a block of a chain says, and whether it is signed',
    args: ['<file>'],
    result: ['index', 'profile', 'at', 'hash', 'previousHash', 'contentType', 'epoch', 'signer', 'signature'],
    examples: ['svc explain block block.json'],
    page: '/developer/chain',
    run: async (context, given) => (await import('./explain.ts')).explainBlock(context, given),
  },
  {
    path: 'explain statement',
    summary: 'Show what a signed statement says',
    args: ['<file>'],
    result: ['type', 'isKnown', 'realm', 'issuedAt', 'hash', 'isSigned', 'statement'],
    examples: ['svc explain statement statement.json'],
    page: '/developer/statements',
    run: async (context, given) => (await import('./explain.ts')).explainStatement(context, given),
  },
  {
    path: 'explain error',
    summary: 'Show what an error name means',
    args: ['<name>'],
    result: ['error', 'status', 'text', 'next', 'page'],
    examples: ['svc explain error stale_head', 'svc explain error security_hold --json'],
    page: '/developer/errors',
    run: async (context, given) => (await import('./explain.ts')).explainError(context, given),
  },
]
