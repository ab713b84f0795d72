import { expect, it } from 'vitest'
import { pinRequestSchema } from './pinning.ts'

const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

it.each<[string, object, boolean]>([
  ['a CID alone', { cid }, true],
  ['a CID and a name', { cid, name: 'holiday' }, true],
  ['a name of 255 characters', { cid, name: 'x'.repeat(255) }, true],
  ['no CID', { name: 'holiday' }, false],
  ['a CID that is too short', { cid: 'bafkreifzju' }, false],
  ['a CID that is too long', { cid: 'b'.repeat(1_025) }, false],
  ['an empty name', { cid, name: '' }, false],
  ['a name of 256 characters', { cid, name: 'x'.repeat(256) }, false],
  ['a name with a lone surrogate', { cid, name: '\ud800' }, false],
  ['another member', { cid, origins: [] }, false],
])('a pin request with %s', (_, request, isTaken) => {
  expect(pinRequestSchema.safeParse(request).success).toBe(isTaken)
})
