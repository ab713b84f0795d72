import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bundleHash, bundleHashIn } from './bundle-hash.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const CODE = new Map([
  ['index.js', bytes('export default {}')],
  ['b-hamming.wasm', bytes('\0asm')],
])

it('can be computed with sha256sum', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bundle-'))
  for (const [name, content] of CODE) writeFileSync(join(folder, name), content)
  writeFileSync(join(folder, 'index.js.map'), '{}')
  writeFileSync(join(folder, 'README.md'), 'This folder contains …')
  const summed = execFileSync('sh', ['-c', 'LC_ALL=C sha256sum *.js *.wasm | LC_ALL=C sort -k 2 | sha256sum'], {
    cwd: folder,
  })
  expect(bundleHashIn(folder)).toBe(summed.toString().slice(0, 64))
  rmSync(folder, { recursive: true })
})

it('is the same under the names of an upload, in any order', () => {
  const uploaded = new Map(
    [...CODE].toReversed().map(([name, content]) => [name === 'index.js' ? name : `./${name}`, content]),
  )
  expect(bundleHash(uploaded)).toBe(bundleHash(CODE))
})

it.each([
  ['a changed module', new Map([...CODE, ['index.js', bytes('export default {};')]])],
  ['another name', new Map([...CODE].map(([name, content]) => [`x${name}`, content]))],
  ['one more module', new Map([...CODE, ['more.js', bytes('')]])],
])('differs for %s', (_, changed) => {
  expect(bundleHash(changed)).not.toBe(bundleHash(CODE))
})

it('is refused for nothing', () => {
  expect(() => bundleHash(new Map([['index.js.map', bytes('{}')]]))).toThrow('no module')
})
