import { expect, it } from 'vitest'
import { compressedKib, sizeFault } from './upload-size.ts'

it('reads what Wrangler prints', () => {
  expect(compressedKib('Total Upload: 984.75 KiB / gzip: 289.45 KiB\n')).toBe(289.45)
  expect(compressedKib('Total Upload: 4.10 MiB / gzip: 1.50 MiB\n')).toBe(1536)
  expect(compressedKib('--dry-run: exiting now.')).toBeNull()
})

it('allows 300 KiB and refuses more', () => {
  expect(sizeFault('svc-core', 300)).toBeNull()
  expect(sizeFault('svc-core', 300.01)).toBe('svc-core has 300.01 KiB compressed; at most 300 KiB are allowed')
})
