import { expect, it } from 'vitest'
import { noteArchiveLines } from './archive-lines.ts'

it('an archive says what it is, and has each piece on a line', async () => {
  const attachment = { kind: 'attachment', cipherHash: 'ab', sealed: Uint8Array.of(251, 255) } as const
  const lines: unknown[] = []
  for await (const line of noteArchiveLines('did:svc:alice', [{ kind: 'devices', attestations: [] }, attachment]))
    lines.push(JSON.parse(line))
  expect(lines).toEqual([
    { format: 'svc/note-archive/v1', did: 'did:svc:alice' },
    { kind: 'devices', attestations: [] },
    { kind: 'attachment', cipherHash: 'ab', sealedB64u: '-_8' },
  ])
})
