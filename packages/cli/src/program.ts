import { Command, Option } from 'commander'
import type { CommandSpec } from './command.ts'
import type { GlobalOptions } from './context.ts'
import { unmarked } from './dashes.ts'
import type { Group } from './group.ts'
import { GROUPS } from './groups.ts'
import type { Given } from './result.ts'

/** Runs one command. */
export type Act = (spec: CommandSpec, options: GlobalOptions, given: Given) => Promise<void>

export interface ProgramOutput {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly hasColours: boolean
  readonly errorsHaveColours: boolean
}

/** Options of every command, also in the manual page. */
export const GLOBAL_OPTIONS = [
  ['--json', 'print the result as JSON on standard output, and failures as JSON on standard error'],
  ['-q, --quiet', 'print nothing but failures'],
  ['-y, --yes', 'do not ask for confirmation'],
  ['--dry-run', 'say what would be done, and do nothing'],
  ['--profile <name>', 'the deployment and identity to use (default: default)'],
  ['--core <url>', 'the origin of core, instead of the profile’s'],
  ['--passphrase-fd <n>', 'read the passphrase from an open file descriptor'],
] as const

/** As on the page of the command line. */
const START = [
  'svc init --core https://core.example',
  'svc id new',
  'svc anchor stamp report.pdf',
  'svc anchor upgrade report.pdf.anchor.json --wait',
  'svc verify report.pdf.anchor.json --file report.pdf',
]

const EXIT_CODES = `Exit codes: 0 ok, 1 fault of svc, 2 usage, 3 invalid evidence, 4 pending, 5 refused, 6 unreachable, 7 key missing or locked.`

/** The parser of the whole tree. Loads no command. */
export function programOf(act: Act, { stdout, stderr, hasColours, errorsHaveColours }: ProgramOutput): Command {
  const program = new Command('svc')
  program
    .description('Identities, signed chains, anchors and proofs, from the command line.')
    .configureOutput({
      writeOut: stdout,
      writeErr: stderr,
      getOutHasColors: () => hasColours,
      getErrHasColors: () => errorsHaveColours,
      outputError: () => {},
    })
    .exitOverride()
    .showSuggestionAfterError()
    .addHelpText('after', `\nTo start:\n${START.map((line) => `  $ ${line}`).join('\n')}`)
    .addHelpText('after', `\nsvc --version tells the version.\n\n${EXIT_CODES}`)
  for (const [flags, about] of GLOBAL_OPTIONS) {
    const made = new Option(flags, about)
    program.addOption(made.long === '--passphrase-fd' ? made.argParser(descriptorOf) : made)
  }
  for (const group of GROUPS) addGroup(program, group, act)
  return program
}

function addGroup(program: Command, { name, summary, commands }: Group, act: Act): void {
  const parent = name === null ? program : program.command(name).description(summary)
  for (const spec of commands) addCommand(parent, spec, act)
}

function addCommand(parent: Command, spec: CommandSpec, act: Act): void {
  const { path, summary, args = [], options = [], examples, result } = spec
  const command = parent.command(path.split(' ').at(-1) ?? path).description(summary)
  for (const one of args) command.argument(one)
  for (const [flags, about] of options) {
    command.addOption(new Option(flags, about))
  }
  const form = typeof result === 'string' ? `${result}, as the API answers it` : result.join(', ')
  command.addHelpText('after', `\nWith --json: ${form}`)
  command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`)
  command.action(async (...given: unknown[]) => {
    const words = args.map((_, position) => given[position] as string | undefined)
    const named = unmarked({ args: words, options: command.opts<Given['options']>() })
    await act(spec, globalsOf(rootOf(command)), named)
  })
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command
}

export function globalsOf(root: Command): GlobalOptions {
  const { json, quiet, yes, dryRun, profile, core, passphraseFd } = root.opts<Partial<GlobalOptions>>()
  return {
    json: json === true,
    quiet: quiet === true,
    yes: yes === true,
    dryRun: dryRun === true,
    profile: profile ?? 'default',
    core,
    passphraseFd,
  }
}

function descriptorOf(text: string): number {
  // 0 is where data comes from, 1 and 2 are written to.
  if (/^\d{1,4}$/.test(text) && (text === '0' || Number(text) > 2)) return Number(text)
  throw new TypeError('--passphrase-fd takes 0, or the number of a descriptor from 3 on')
}
