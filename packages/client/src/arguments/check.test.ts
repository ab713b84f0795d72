import { describe, expect, it } from 'vitest'
import { checkCall } from './check.ts'

interface Signing {
  readonly realm: string
  readonly now?: number
}

const sign = (signing: Signing) => checkCall('sign', [signing], [['signing', { realm: 1, now: 0 }]])

class Service {
  readonly more = true
  readonly #realm: string | undefined

  constructor(realm?: string) {
    this.#realm = realm
  }

  get realm() {
    return this.#realm as string
  }
}

describe('an object of options', () => {
  it('has what must be there, and nothing that is unknown', () => {
    expect(() => sign({ realm: 'https://core.example' })).not.toThrow()
    expect(() => sign({ realm: 'https://core.example', nwo: 1 } as Signing)).toThrow('does not know `nwo` of `signing`')
    expect(() => sign({ now: 1 } as unknown as Signing)).toThrow('needs `realm` of `signing`')
  })

  it('may be an instance that has more, if what must be there is', () => {
    expect(() => sign(new Service('https://core.example'))).not.toThrow()
    expect(() => sign(new Service())).toThrow('needs `realm` of `signing`')
  })
})
