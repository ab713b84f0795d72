import { describe, expect, it } from 'vitest'
import { calleesFirst, uploadOrder } from './deploy-order.ts'

const bound = (name: string, services: string[] = [], objects: string[] = []) => ({ name, services, objects })
const none = new Set<string>()

describe('uploadOrder', () => {
  it('puts each Worker after those that it binds to', () => {
    const workers = [bound('keys', ['core']), bound('docs'), bound('core')]
    expect(uploadOrder(workers, none).map(({ name }) => name)).toEqual(['docs', 'core', 'keys'])
  })

  it('breaks a circle at a service binding, and uploads that Worker again at the end', () => {
    const workers = [bound('core'), bound('provenance', ['core', 'pay']), bound('pay', ['core'], ['provenance'])]
    expect(uploadOrder(workers, none)).toEqual([
      { name: 'core', without: [] },
      { name: 'provenance', without: ['pay'] },
      { name: 'pay', without: [] },
      { name: 'provenance', without: [] },
    ])
  })

  it('does not break the circle at a Worker that only leads to it', () => {
    const workers = [bound('consent', ['provenance']), bound('provenance', ['pay']), bound('pay', [], ['provenance'])]
    expect(uploadOrder(workers, none).map(({ name }) => name)).toEqual(['provenance', 'consent', 'pay', 'provenance'])
  })

  it('leaves nothing out where everything is there already, and puts who is called first', () => {
    const workers = [bound('provenance', ['pay']), bound('pay', [], ['provenance'])]
    expect(uploadOrder(workers, new Set(['provenance', 'pay']))).toEqual([
      { name: 'pay', without: [] },
      { name: 'provenance', without: [] },
    ])
  })

  it('never leaves out a Durable Object binding', () => {
    const workers = [bound('a', [], ['b']), bound('b', [], ['a'])]
    expect(() => uploadOrder(workers, none)).toThrow('lead in a circle: a, b')
  })
})

describe('calleesFirst', () => {
  it('puts each after those that it calls, whoever’s Durable Objects it uses', () => {
    const workers = [bound('provenance', ['core', 'pay']), bound('pay', ['core'], ['provenance']), bound('core')]
    expect(calleesFirst(workers)).toEqual(['core', 'pay', 'provenance'])
  })

  it('finds none where two call each other', () => {
    expect(() => calleesFirst([bound('a', ['b']), bound('b', ['a'])])).toThrow('a and b call each other')
  })
})
