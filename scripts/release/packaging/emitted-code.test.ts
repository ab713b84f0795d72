import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { expect, inject, it } from 'vitest'

const project = inject('project')

/** What a program prints as JSON, in the project with the packages. */
async function printed(name: string, program: string, ...args: readonly string[]): Promise<unknown> {
  const file = join(project, `${name}.mjs`)
  writeFileSync(file, program)
  const { code, output } = await capture(process.execPath, ['--no-warnings', file, ...args])
  expect(code, output).toBe(0)
  return JSON.parse(output)
}

const LOAD_ALL = `
import { globSync } from 'node:fs'
import { join } from 'node:path'
const dist = process.argv[2]
const failed = []
let loaded = 0
for (const file of globSync('**/*.js', { cwd: dist }))
  // The program itself, which runs.
  if (file !== 'cli/src/main.js')
    await import(join(dist, file)).then(() => { loaded += 1 }, (error) => failed.push(file + ': ' + error.message))
console.log(JSON.stringify({ isEnough: loaded > Number(process.argv[3]), failed }))
`

it.each([
  ['fingerprint', 15],
  ['client', 350],
  ['cli', 450],
])('every module of @svc/%s loads', async (name, least) => {
  const dist = join(project, 'node_modules/@svc', name, 'dist')
  expect(await printed('load-all', LOAD_ALL, dist, String(least))).toEqual({ isEnough: true, failed: [] })
})

const REGISTER = `
import { registerImage, registerVideo } from '@svc/client/images'
const sent = []
const provenance = {
  sign: async (file, facts) => ({ kind: facts.kind }),
  register: async (signed, { vectors }) => {
    sent.push([signed.kind, Object.keys(vectors)[0]])
    return 'registered'
  },
}
const data = Uint8Array.from({ length: 96 * 64 * 4 }, (_, at) => (at * at * 31) % 251)
const pixels = { data, width: 96, height: 64 }
const file = new Uint8Array(9)
const image = await registerImage(provenance, file, pixels, { mime: 'image/png' })
const video = await registerVideo(provenance, file, [{ atMs: 0, pixels }], { mime: 'video/mp4', durationMs: 1 })
console.log(JSON.stringify({ image, video, sent }))
`

it('registers images and videos', async () => {
  expect(await printed('register', REGISTER)).toEqual({
    image: 'registered',
    video: 'registered',
    sent: [
      ['image', 'fragment'],
      ['video', 'video'],
    ],
  })
})

const TEXTS = `
import { join } from 'node:path'
const { ERRORS } = await import(join(process.argv[2], 'protocol/src/http/errors.js'))
const silent = Object.entries(ERRORS).filter(([, { text }]) => text.length < 10)
console.log(JSON.stringify({ isEnough: Object.keys(ERRORS).length > 150, silent }))
`

it.each(['client', 'cli'])('every error of @svc/%s has its text', async (name) => {
  const dist = join(project, 'node_modules/@svc', name, 'dist')
  expect(await printed('texts', TEXTS, dist)).toEqual({ isEnough: true, silent: [] })
})

const SCHEMAS = `
import { join } from 'node:path'
const of = (path) => import(join(process.argv[2], 'cli/src', path))
const { GROUPS } = await of('groups.js')
const { schema } = await of('schema/schema.js')
const failed = []
const commands = GROUPS.flatMap(({ commands }) => commands)
for (const { path } of commands)
  await schema(null, { args: [path.split(' ')] }).catch((error) => failed.push(path + ': ' + error.message))
console.log(JSON.stringify({ isEnough: commands.length > 100, failed }))
`

it('svc schema works for every command', async () => {
  const dist = join(project, 'node_modules/@svc/cli/dist')
  expect(await printed('schemas', SCHEMAS, dist)).toEqual({ isEnough: true, failed: [] })
})
