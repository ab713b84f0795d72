import { ServiceError } from '@svc/client'

export interface Finding {
  readonly what: string
  /** In which part of the load it was acknowledged, from 1 on. */
  readonly part: number
  /** `missing`: what was acknowledged is not there. `doubled`: what was spent, ended or denied is accepted. */
  readonly kind: 'missing' | 'doubled'
}

interface Kept extends Finding {
  readonly check: () => Promise<boolean>
  /** Whether the check is a signed read of the operator. */
  readonly byOperator: boolean
}

/** Everything that clients know was acknowledged to them, as checks. They can be made again and again. */
export class Memories {
  readonly #kept: Kept[] = []
  #part = 0
  #later: (() => Promise<void>)[] = []

  get count(): number {
    return this.#kept.length
  }

  /** The next part of the load begins: what was put off until now is done. */
  async begin(): Promise<void> {
    this.#part += 1
    for (const act of this.#later.splice(0)) await act()
  }

  /** In the next part, so that an earlier state has what came before and not this. */
  later(act: () => Promise<void>): void {
    this.#later.push(act)
  }

  /** It was acknowledged, and must be there. */
  holds(what: string, check: () => Promise<boolean>, { byOperator = false } = {}): void {
    this.#kept.push({ what, part: this.#part, kind: 'missing', check, byOperator })
  }

  /** It was spent, ended or denied, and must be refused. */
  refuses(what: string, check: () => Promise<boolean>): void {
    this.#kept.push({ what, part: this.#part, kind: 'doubled', check, byOperator: false })
  }

  /** Leaves out what the operator checks while the operator's acts are refused. */
  async findings({ isOperatorRefused = false } = {}): Promise<Finding[]> {
    const found: Finding[] = []
    for (const { what, part, kind, check, byOperator } of this.#kept) {
      if (byOperator && isOperatorRefused) continue
      const fault = await check().then((isRight) => (isRight ? null : ''), saying)
      if (fault !== null) found.push({ what: `${what}${fault}`, part, kind })
    }
    return found
  }
}

function saying(error: unknown): string {
  return `: ${error instanceof ServiceError ? `${error.status} ${error.error}` : String(error)}`
}

/** Whether a call is refused with one of these errors. Another error is thrown: it says nothing about the call. */
export async function isRefused(call: Promise<unknown>, ...errors: readonly string[]): Promise<boolean> {
  try {
    await call
    return false
  } catch (error) {
    if (error instanceof ServiceError && errors.includes(error.error)) return true
    throw error
  }
}

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
