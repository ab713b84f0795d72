import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadDevSecrets } from '../keys/dev-secrets.ts'
import { identify } from './process-table.ts'
import { requireSameRealm } from './realm.ts'
import { claimStateDir } from './state-dir.ts'

let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'svc-state-'))
})
afterEach(() => rmSync(stateDir, { recursive: true }))

const recorded = () => readFileSync(join(stateDir, 'run.json'), 'utf8')
const record = (value: unknown) => writeFileSync(join(stateDir, 'run.json'), JSON.stringify(value))

describe('claimStateDir', () => {
  it('refuses a folder that a running process holds', async () => {
    const claim = await claimStateDir(stateDir)
    await expect(claimStateDir(stateDir)).rejects.toThrow(/is in use by another start/)
    claim.release()
    await expect(claimStateDir(stateDir)).resolves.toBeDefined()
  })

  it('never kills another process that reuses a recorded id', async () => {
    const stranger = { ...identify(process.pid), command: 'workerd serve --binary' }
    record({ node: { pid: 1, started: '0', command: 'node' }, runtime: [stranger] })
    const claim = await claimStateDir(stateDir)
    expect(claim.clearedPreviousRun).toBe(false)
  })

  it('takes over from an unreadable record', async () => {
    writeFileSync(join(stateDir, 'run.json'), '{')
    await claimStateDir(stateDir)
    expect(JSON.parse(recorded())).toMatchObject({ node: { pid: process.pid }, runtime: [] })
  })

  it('names a database that is damaged', async () => {
    const claim = await claimStateDir(stateDir)
    claim.release()
    writeFileSync(join(stateDir, 'v3/notes.sqlite'), 'not a database at all')
    await expect(claimStateDir(stateDir)).rejects.toThrow(/notes\.sqlite is not a database\): delete/)
  })

  it('refuses a file in place of the folder', async () => {
    writeFileSync(join(stateDir, 'file'), '')
    await expect(claimStateDir(join(stateDir, 'file'))).rejects.toThrow(/is not a folder/)
  })
})

describe('requireSameRealm', () => {
  it('accepts the realm of the first start again', () => {
    requireSameRealm(stateDir, 'http://localhost:8787')
    requireSameRealm(stateDir, 'http://localhost:8787')
  })

  it('refuses another one, and names both and the way out', () => {
    requireSameRealm(stateDir, 'http://localhost:8787')
    const fault = `${stateDir} was made for http://localhost:8787, not for http://localhost:9300`
    expect(() => requireSameRealm(stateDir, 'http://localhost:9300')).toThrow(fault)
    expect(() => requireSameRealm(stateDir, 'http://localhost:9300')).toThrow(/--port-base 8787.*--state/)
    requireSameRealm(stateDir, 'http://localhost:8787')
  })

  it('knows the realm of a folder of an earlier version from its list of logs', () => {
    writeFileSync(join(stateDir, 'log-list.json'), JSON.stringify({ statement: { realm: 'http://localhost:8787' } }))
    expect(() => requireSameRealm(stateDir, 'http://localhost:9300')).toThrow('was made for http://localhost:8787')
  })

  it.each(['', 'null', '{"statement":{}}'])('takes the first realm where the list of logs is %j', (text) => {
    writeFileSync(join(stateDir, 'log-list.json'), text)
    requireSameRealm(stateDir, 'http://localhost:9300')
    expect(() => requireSameRealm(stateDir, 'http://localhost:8787')).toThrow('was made for http://localhost:9300')
  })
})

describe('loadDevSecrets', () => {
  it('returns the same secrets every time', () => expect(loadDevSecrets(stateDir)).toEqual(loadDevSecrets(stateDir)))

  it.each(['', '{}', '{"svcInternalSecret":"x","operatorSeed":"y"}'])(
    'rejects %j and says how to start over',
    (text) => {
      writeFileSync(join(stateDir, 'secrets.json'), text)
      expect(() => loadDevSecrets(stateDir)).toThrow(/delete the folder/)
    },
  )
})
