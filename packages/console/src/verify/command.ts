import type { Kind } from '@svc/client/evidence'
import { shellWordOf, textOf } from '@svc/client/text'
import type { Input, Settings } from './input.ts'

const TYPED: readonly Kind[] = ['did', 'hash', 'page']

/** The command that checks the same: what was typed as it is, everything else as a file. */
export function commandOf(kind: Kind, { bytes, name }: Input, settings: Settings): string {
  const subject = TYPED.includes(kind) ? textOf(bytes).trim() : (name ?? 'evidence.json')
  const options: (readonly string[])[] = [
    settings.expectedDid === '' ? [] : ['--did', settings.expectedDid],
    settings.content ? ['--file', settings.content.name ?? 'content'] : [],
    settings.logKeyB64u === '' ? [] : ['--log-key', settings.logKeyB64u],
    settings.isOffline ? ['--offline'] : [],
  ]
  return ['svc', 'verify', subject, ...options.flat()].map(shellWordOf).join(' ')
}
