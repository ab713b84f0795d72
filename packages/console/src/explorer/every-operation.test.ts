import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { words } from '../words/explorer/en.ts'
import { type Operation, operationsOf } from './operations.ts'
import { type Filled, filledOf, missingOf, prepare, withoutSecrets } from './request.ts'
import { codeOf, curlOf } from './shown-as.ts'

const PACKAGE = join(import.meta.dirname, '../..')
const ROOT = join(PACKAGE, '../..')
const CORE = 'https://core.example'
const SECRET = 'kept-to-itself'

interface Documented {
  readonly service: string
  readonly operation: Operation
  /** Names of the schemes that the document has for it. */
  readonly security: readonly string[]
}

interface Document {
  readonly paths: Record<string, Record<string, { operationId: string; security?: Record<string, unknown>[] }>>
}

const documented = globSync('workers/*/openapi.json', { cwd: ROOT }).flatMap((file): Documented[] => {
  const document = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Document
  const raw = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  return operationsOf(document).map((operation) => ({
    service: basename(dirname(file)),
    operation,
    security: raw.find(({ operationId }) => operationId === operation.id)?.security?.flatMap(Object.keys) ?? [],
  }))
})

/** From its examples, with something for what has none. */
function filled(operation: Operation): Filled {
  const from = filledOf(operation, null)
  const missing = missingOf(operation, from).map((name) => [name, 'something'])
  const credentials = Object.fromEntries(operation.schemes.map(({ name }) => [name, SECRET]))
  return { ...from, values: { ...from.values, ...Object.fromEntries(missing) }, credentials }
}

const shown = (operation: Operation) => prepare(operation, CORE, withoutSecrets(operation, filled(operation)))

it('finds the operations of all eight services', () => {
  expect(new Set(documented.map(({ service }) => service)).size).toBe(8)
  expect(new Set(documented.map(({ service, operation }) => `${service}.${operation.id}`)).size).toBe(documented.length)
})

it('every credential of every operation has its field, and the text for its button', () => {
  for (const { operation, security } of documented) {
    const others = security.filter((scheme) => scheme !== 'ServiceAssertion')
    expect(
      operation.schemes.map(({ id }) => id),
      operation.id,
    ).toEqual(others)
    expect(operation.audience !== null, operation.id).toBe(security.length > others.length)
  }
  const schemes = new Set(documented.flatMap(({ operation }) => operation.schemes.map(({ id }) => id)))
  expect([...schemes].toSorted()).toEqual(Object.keys(words.obtain).toSorted())
})

it('every operation can be sent once it is filled, and what people copy has no secret', () => {
  for (const { operation } of documented) {
    expect(missingOf(operation, filled(operation)), operation.id).toEqual([])
    const { url } = prepare(operation, CORE, filled(operation))
    expect(url, operation.id).not.toMatch(/%7B|[{}]/)
    const hasSecret = operation.schemes.some(({ isSecret }) => isSecret)
    const texts = [curlOf(shown(operation), operation.audience), codeOf(shown(operation), operation.audience, CORE)]
    if (hasSecret) for (const text of texts) expect(text, operation.id).not.toContain(SECRET)
  }
})

it('the SDK code of every operation compiles in strict mode', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-explorer-'))
  try {
    symlinkSync(join(PACKAGE, 'node_modules'), join(folder, 'node_modules'))
    const compilerOptions = {
      composite: false,
      incremental: false,
      noEmit: true,
      moduleDetection: 'force',
      types: [],
      lib: ['es2024', 'dom', 'dom.iterable'],
    }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(ROOT, 'tsconfig.base.json'), compilerOptions, include: ['*.ts'] }),
    )
    for (const { service, operation } of documented) {
      const code = codeOf(shown(operation), operation.audience, CORE)
      writeFileSync(join(folder, `${service}-${operation.id}.ts`), `${code}\n`)
    }
    const compiled = promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['--project', folder])
    const output = await compiled.then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    )
    expect(output).toBe('')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
