import { afterEach, expect, it, vi } from 'vitest'
import { sentenceOf } from '../failures/sentences.ts'
import { pixelsIn } from './pixels-in.ts'

afterEach(() => vi.unstubAllGlobals())

it('a picture that the browser cannot read is named, and not as a passkey', async () => {
  const refusal = new DOMException('The source image could not be decoded.', 'InvalidStateError')
  vi.stubGlobal('createImageBitmap', () => Promise.reject(refusal))
  const error: unknown = await pixelsIn({ bytes: new Uint8Array(8), name: 'photo.heic', type: 'image/heic' }).catch(
    (reason: unknown) => reason,
  )
  expect(sentenceOf(error)).toMatch(/^This file cannot be read as a picture/)
})
