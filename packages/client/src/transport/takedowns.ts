import { type TakedownPage, type TakedownRecord, takedownPageSchema } from '@svc/protocol/operator/takedown'
import { unverified } from '../verification/verification-error.ts'
import type { Transport } from './transport.ts'

/** What the operator took down at one service, oldest first. */
export async function* takedownsOf(transport: Transport, origin: string): AsyncGenerator<TakedownRecord> {
  const seen = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const url = `${origin}/api/takedowns${cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`}`
    const page: TakedownPage = await transport.data({ method: 'GET', url }, takedownPageSchema)
    yield* page.takedowns
    if (page.cursor !== null && seen.has(page.cursor))
      throw unverified('answer', 'repeated', 'The service repeats pages')
    cursor = page.cursor
    if (cursor !== null) seen.add(cursor)
  }
}
