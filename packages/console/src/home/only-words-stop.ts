import type { Client } from '@svc/client'
import { words } from '../words/home/words.ts'

export type Rotation = NonNullable<Awaited<ReturnType<Client['rotation']['current']>>['latest']>

/** Returns why no device can stop a pending rotation; null if a device can. */
export function onlyWordsStop({ basis }: Pick<Rotation, 'basis'>): string | null {
  if (basis === 'full') return words.pendingFull
  return basis === 'replacement' ? words.pendingReplacement : null
}
