import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { memoryFolder } from './memory-folder.ts'

it('is in memory, or nowhere', () => {
  const folder = memoryFolder()
  if (folder === null) return expect(existsSync('/dev/shm') && statfsSync('/dev/shm').bavail > 2 ** 19).toBe(false)
  expect(statfsSync(folder).type).toBe(statfsSync('/dev/shm').type)
  rmSync(folder, { recursive: true })
})

it('is not on a disk, and not where there is no such place', () => {
  const onDisk = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  try {
    const isDisk = statfsSync(onDisk).type !== 0x01_02_19_94
    if (isDisk) expect(memoryFolder(onDisk)).toBeNull()
    expect(memoryFolder(join(onDisk, 'none'))).toBeNull()
  } finally {
    rmSync(onDisk, { recursive: true })
  }
})
