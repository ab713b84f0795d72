import type { CommandSpec } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { GROUPS } from '../groups.ts'
import { GLOBAL_OPTIONS } from '../program.ts'
import type { Result } from '../result.ts'
import { VERSION } from '../version.ts'

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done, or valid',
  internal: 'a fault of svc',
  usage: 'the command line is wrong',
  invalid: 'what was verified does not hold',
  pending: 'it is not decided yet',
  refused: 'a service refused, or you did not confirm',
  unreachable: 'a service does not answer',
  locked: 'a key is missing, or its passphrase is',
}

export async function man(): Promise<Result> {
  const page = manPage()
  return { data: { page }, text: page.trimEnd() }
}

/** In the macros of man(7). */
export function manPage(): string {
  const lines = [
    `.TH SVC 1 "" "svc ${VERSION}" "User Commands"`,
    '.SH NAME',
    'svc \\- identities, signed chains, anchors and proofs',
    '.SH SYNOPSIS',
    '.B svc',
    '.RI [ options ]',
    '.I command',
    '.RI [ arguments ]',
    '.SH DESCRIPTION',
    'Keys stay on this machine, and everything in an answer that can be verified is verified. There is no login: your keys are the login.',
    '.SH OPTIONS',
    ...GLOBAL_OPTIONS.flatMap(([flags, about]) => tagged(flags, about)),
    '.SH COMMANDS',
    ...GROUPS.flatMap(({ name, summary, commands }) => [
      ...(name === null ? [] : [`.SS svc ${name}: ${escaped(summary)}`]),
      ...commands.flatMap(command),
    ]),
    '.SH EXIT STATUS',
    ...Object.entries(EXIT).flatMap(([name, code]) => tagged(String(code), MEANINGS[name as keyof typeof EXIT])),
    '.SH ENVIRONMENT',
    ...tagged('NO_COLOR', 'switches colours off'),
    ...tagged('XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_STATE_HOME', 'where keys, profiles and what was seen are kept'),
  ]
  return `${lines.join('\n')}\n`
}

function command({ path, args = [], summary, options = [], examples }: CommandSpec): string[] {
  return [
    ...tagged(['svc', path, ...args].join(' '), summary),
    '.RS',
    ...options.flatMap(([flags, about]) => tagged(flags, about)),
    '.PP',
    '.nf',
    ...examples.map(escaped),
    '.fi',
    '.RE',
  ]
}

function tagged(tag: string, about: string): string[] {
  return ['.TP', `.B ${escaped(tag)}`, escaped(about)]
}

/** A line must not begin with a control character, a hyphen stays one, and the source is ASCII. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&')
    .replaceAll(/[^ -~]/gu, (letter) => `\\[u${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`)
}
