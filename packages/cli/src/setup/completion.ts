import type { Command } from 'commander'
import { usage } from '../cli-error.ts'
import { argument, type Given, type Result } from '../result.ts'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell']

export async function completion(given: Given): Promise<Result> {
  const shell = argument(given, 0)
  if (!SHELLS.includes(shell))
    throw usage(`There is no completion for "${shell}"`, `choose one of ${SHELLS.join(', ')}`)
  const { script } = await import('@bomb.sh/tab')
  const text = printed(() => script(shell, 'svc', 'svc'))
  return { data: { shell, script: text }, text }
}

/** What the shell asks for while somebody types: `svc complete -- id n`. */
export async function complete(program: Command, words: readonly string[]): Promise<string> {
  const { default: tab } = await import('@bomb.sh/tab/commander')
  const completions = tab(program, { completionCommandName: 'completion-script' })
  return `${printed(() => completions.parse([...words]))}\n`
}

/** The library has no other way out than the console. */
function printed(print: () => void): string {
  const { log } = console
  const lines: string[] = []
  console.log = (...parts: unknown[]) => void lines.push(parts.join(' '))
  try {
    print()
    return lines.join('\n')
  } finally {
    console.log = log
  }
}
