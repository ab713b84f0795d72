import { expect, it } from 'vitest'
import { isStale, liveDocumentOf } from './live.ts'

it('tells a committed document from one of other routes, or of other words', async () => {
  const live = await liveDocumentOf('docs')
  expect(isStale('docs', live)).toBe(false)
  const { '/health': _, ...others } = live.paths as Readonly<Record<string, object>>
  expect(isStale('docs', { ...live, paths: others })).toBe(true)
  expect(isStale('docs', { ...live, info: { ...live.info, version: '9.9.9' } })).toBe(true)
})
