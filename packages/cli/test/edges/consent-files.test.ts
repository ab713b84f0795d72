import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from '@svc/client/functions'
import { afterAll, expect, it } from 'vitest'
import { newMachine } from '../svc.ts'

const machine = newMachine()
afterAll(() => machine.remove())

it('a declaration for the name of a file is refused, with the way to its identifier', async () => {
  const picture = new TextEncoder().encode('a picture')
  writeFileSync(join(machine.home, 'my-picture.png'), picture)
  const { code, stdout, stderr } = await machine.svc('consent set my-picture.png --training disallow')
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('my-picture.png is a file here')
  expect(stderr).toContain(`svc consent set sha3-384:${await hashOf(picture)}`)
  // Without such a file, it is an identifier like every other.
  expect((await machine.svc('consent set no-such-picture.png --training disallow')).stderr).not.toContain('is a file')
})
