import { pixelsOf } from '@svc/client/browser-images'
import { saidAs } from '../failures/sentences.ts'
import type { Input } from '../verify/input.ts'
import { words } from '../words/failures/words.ts'

/** The pixels of a file that says that it is a picture. Browsers cannot read HEIC, TIFF or what is damaged. */
export function pixelsIn({ bytes, type }: Input): ReturnType<typeof pixelsOf> {
  const file = new Blob([bytes as Uint8Array<ArrayBuffer>], { type })
  return pixelsOf(file).catch(saidAs('InvalidStateError', words.notAPicture))
}
