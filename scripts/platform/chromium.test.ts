import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { findChromium } from './chromium.ts'

const folder = mkdtempSync(join(tmpdir(), 'chromium-'))
const chromium = join(folder, 'chromium')
const other = join(folder, 'other')
for (const path of [chromium, other]) {
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o755)
}
afterAll(() => rmSync(folder, { recursive: true }))

describe('findChromium', () => {
  it('prefers CHROME_PATH over PATH', () => {
    expect(findChromium({ CHROME_PATH: other, PATH: folder })).toBe(other)
    expect(findChromium({ CHROME_PATH: '', PATH: `/nowhere:${folder}` })).toBe(chromium)
  })

  it('returns undefined without a Chromium', () => {
    expect(findChromium({ PATH: '/nowhere' })).toBeUndefined()
    expect(findChromium({})).toBeUndefined()
  })

  it('does not look elsewhere when CHROME_PATH is wrong', () => {
    expect(() => findChromium({ CHROME_PATH: join(folder, 'missing'), PATH: folder })).toThrow('cannot be run')
  })
})
