import type { Client } from '@svc/client'
import { words } from '../words/payments/words.ts'

export type Intent = Awaited<ReturnType<Client['pay']['intent']>>
export type Offer = Intent['offer']

export function priceText({ price, interval, kind }: Offer): string {
  if (kind === 'free') return words.kinds.free
  const per = kind === 'pass' || interval === null ? '' : ` ${words.interval[interval]}`
  return `${price.display}${per}, ${words.kinds[kind]}`
}
