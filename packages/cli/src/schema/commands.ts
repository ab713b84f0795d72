import type { CommandSpec } from '../command.ts'

export const SCHEMA_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'schema',
    summary: 'Print the JSON Schema of what a command prints with --json',
    args: ['<command...>'],
    result: ['command', 'schema'],
    examples: ['svc schema anchor stamp', 'svc schema verify --json'],
    page: '/developer/cli-results',
    run: async (context, given) => (await import('./schema.ts')).schema(context, given),
  },
  {
    path: 'man',
    summary: 'Print the manual page, for man',
    result: ['page'],
    examples: ['svc man >svc.1'],
    run: async () => (await import('./man-page.ts')).man(),
  },
]
