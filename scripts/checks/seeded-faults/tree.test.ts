import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyTree, sourcesOf } from './tree.ts'

let folder: string
let copy: string
const git = (tree: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: join(folder, tree), encoding: 'utf8' }).trim()

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tree-')))
  copy = join(folder, 'copy')
  const files = {
    'package.json': '{}',
    'packages/a/package.json': '{}',
    'packages/a/src/a.ts': 'a',
    'packages/a/src/a.test.ts': 'test',
    'packages/a/src/testing/battery.ts': 'battery',
    'workers/w/package.json': '{}',
    'workers/w/src/w/rules.ts': 'w',
    'node_modules/.pnpm/lib/index.js': 'lib',
    'node_modules/.cache/x': 'x',
    'packages/a/node_modules/kept': 'kept',
    'workers/w/node_modules/@svc/.keep': '',
    '.gitignore': 'node_modules\n',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'tree', path)), { recursive: true })
    writeFileSync(join(folder, 'tree', path), text)
  }
  symlinkSync('../../../../packages/a', join(folder, 'tree/workers/w/node_modules/@svc/a'))
  git('tree', 'init', '--quiet')
  git('tree', 'add', '--all')
  git('tree', '-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '--quiet', '--message', 'a')
  copyTree(join(folder, 'tree'), copy)
})
afterAll(() => rmSync(folder, { recursive: true }))

it('copies files, so that a change stays in the copy', () => {
  writeFileSync(join(copy, 'packages/a/src/a.ts'), 'changed')
  expect(readFileSync(join(folder, 'tree/packages/a/src/a.ts'), 'utf8')).toBe('a')
  writeFileSync(join(copy, 'packages/a/src/a.ts'), 'a')
})

it('links packages, and leads to those of the copy', () => {
  const lib = 'node_modules/.pnpm/lib/index.js'
  expect(statSync(join(copy, lib)).ino).toBe(statSync(join(folder, 'tree', lib)).ino)
  expect(realpathSync(join(copy, 'workers/w/node_modules/@svc/a'))).toBe(join(copy, 'packages/a'))
  expect(readFileSync(join(copy, 'packages/a/node_modules/kept'), 'utf8')).toBe('kept')
})

it('has the commit of the tree, and notices what differs from it', () => {
  expect(git('copy', 'rev-parse', 'HEAD')).toBe(git('tree', 'rev-parse', 'HEAD'))
  expect(git('copy', 'status', '--porcelain')).toBe('')
  writeFileSync(join(copy, 'packages/a/src/a.ts'), 'changed')
  expect(git('copy', 'status', '--porcelain')).toBe('M packages/a/src/a.ts')
  writeFileSync(join(copy, 'packages/a/src/a.ts'), 'a')
})

it('leaves caches behind', () => {
  expect(statSync(join(copy, 'node_modules/.cache'), { throwIfNoEntry: false })).toBeUndefined()
})

it('finds sources and not their tests', () => {
  expect(sourcesOf(copy)).toEqual([
    { path: 'packages/a/src/a.ts', text: 'a' },
    { path: 'workers/w/src/w/rules.ts', text: 'w' },
  ])
})

it('says what to do about a tree without packages', () => {
  expect(() => copyTree(join(copy, 'packages'), join(folder, 'other'))).toThrow('run scripts/test --list there')
})
