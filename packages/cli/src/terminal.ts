/**
 * The one way to a terminal. Whatever a command writes goes through it, and what others wrote is shown rather than obeyed:
 * only the sequences that `svc` itself makes, with `own`, reach the terminal as they are.
 *
 * @module
 */
import { visibleOf } from '#client/text'
import type { Environment } from './environment.ts'

/** Nobody can guess it, so nobody else makes a sequence that passes. */
const MARK = crypto.randomUUID()
const OWN = new RegExp(`<${MARK}:([0-9a-f]*)>`)

/** A control sequence of `svc`, such as a colour. */
export function own(sequence: string): string {
  return `<${MARK}:${Buffer.from(sequence).toString('hex')}>`
}

/** What is written for a text with own sequences in it. */
export function written(text: string): string {
  // Every other part is a sequence.
  return text
    .split(OWN)
    .map((part, at) => (at % 2 === 0 ? visibleOf(part) : Buffer.from(part, 'hex').toString('latin1')))
    .join('')
}

/** The environment as commands get it. Results that are files go as they are to files and other programs. */
export function guarded(environment: Environment): Environment {
  const { stdout, stderr, prompts } = environment
  return {
    ...environment,
    stdout: (text) => stdout(typeof text === 'string' ? written(text) : text),
    stderr: (text) => stderr(written(text)),
    prompts: {
      password: (question) => prompts.password(written(question)),
      confirm: (question) => prompts.confirm(written(question)),
      text: (question) => prompts.text(written(question)),
    },
  }
}
