import { describe, expect, it } from 'vitest'
import { jurisdictionSchema } from '../app/jurisdiction.ts'
import { objectsIn } from './objects-in.ts'

/** Notes which jurisdiction it is asked for. */
const namespaceIn = (where: string): object => ({ where, jurisdiction: namespaceIn })
const namespace = namespaceIn('anywhere') as DurableObjectNamespace
const whereIn = (env: object) => (objectsIn(env, namespace) as unknown as { readonly where: string }).where

describe('the objects of a deployment', () => {
  it('are anywhere unless it names a jurisdiction', () => {
    expect(whereIn({})).toBe('anywhere')
    expect(whereIn({ JURISDICTION: 'none' })).toBe('anywhere')
    expect(whereIn({ JURISDICTION: 'eu' })).toBe('eu')
    expect(whereIn({ JURISDICTION: 'fedramp' })).toBe('fedramp')
  })

  it('are created near a hint, if there is one and no jurisdiction', () => {
    const asked: unknown[][] = []
    const opened = { getByName: (...args: unknown[]) => asked.push(args), idFromString: (id: string) => id }
    const inNamespace = (env: object) => objectsIn(env, opened as unknown as DurableObjectNamespace)
    for (const OBJECT_HINT of [undefined, '', 'weur']) inNamespace({ OBJECT_HINT }).getByName('x')
    expect(asked).toEqual([['x'], ['x'], ['x', { locationHint: 'weur' }]])
    expect(inNamespace({ OBJECT_HINT: 'weur' }).idFromString('id')).toBe('id')
    expect(whereIn({ JURISDICTION: 'eu', OBJECT_HINT: 'weur' })).toBe('eu')
    expect(() => inNamespace({ OBJECT_HINT: 'mars' })).toThrow()
  })

  it('are not opened with a jurisdiction that does not exist', () => {
    for (const wrong of ['', 'EU', 'us', 7]) expect(() => whereIn({ JURISDICTION: wrong })).toThrow()
    expect(jurisdictionSchema.parse(undefined)).toBe('none')
  })
})
