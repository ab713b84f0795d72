/**
 * Refuses arguments that a call does not know, and calls that lack one, before anything is signed. A mistyped option
 * would otherwise be left out in silence, and what is left would be signed for good.
 *
 * @module
 */
import { ArgumentError } from './argument-error.ts'
import { nearest } from './nearest.ts'

/** Every member that an object may have: 1 for what must be there, 0 for the rest. Complete, or it does not compile. */
export type Members<T> = { readonly [Name in NamesOf<T>]-?: 0 extends NeedOf<T, Name> ? 0 : 1 }

type NamesOf<T> = T extends unknown ? keyof T & string : never
type NeedOf<T, Name extends PropertyKey> = T extends unknown
  ? Name extends keyof T
    ? undefined extends T[Name]
      ? 0
      : 1
    : 0
  : never

type Known = Readonly<Record<string, 0 | 1>>

/** One parameter: its name, with `?` at the end if it can be left out, and the members of an object of options. */
export type Parameter = string | readonly [name: string, members: Known]

/** The parameters of a call with these arguments. What a caller passes on as it was made has a name alone. */
type ParametersOf<Args extends readonly unknown[]> = {
  readonly [I in keyof Args]: string | readonly [name: string, members: Members<NonNullable<Args[I]>>]
}

/**
 * The arguments of a function that stands beside the services; theirs are checked where a service is loaded. What others
 * wrote, such as evidence, is never missing: it is refused as such, like everything else in it that is wrong.
 */
export function checkCall<const Args extends readonly unknown[]>(
  method: string,
  given: Args,
  parameters: ParametersOf<Args>,
): void {
  checkArguments(method, given, parameters)
}

/** What a call takes of an object that has more. */
export function optionsFor<T extends object>(members: Members<T>, given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(members, name))) as T
}

/** Returns the options of a call, if they are an object that has nothing but these members and what must be there. */
export function checkOptions<T>(method: string, name: string, given: T, members: Members<T>): T {
  checkMembers(method, name, given, members)
  return given
}

/** The arguments of a call, in their order. */
export function checkArguments(method: string, given: readonly unknown[], parameters: readonly Parameter[]): void {
  if (given.length > parameters.length) {
    const most = parameters.length === 0 ? 'no argument' : `at most ${parameters.map(nameOf).join(', ')}`
    throw new ArgumentError(
      method,
      String(parameters.length),
      `${method} takes ${most}: it got ${given.length} arguments`,
    )
  }
  for (const [i, parameter] of parameters.entries()) {
    const [named, members] = typeof parameter === 'string' ? [parameter] : parameter
    const name = nameOf(parameter)
    const value = given[i]
    if (value === undefined && named.endsWith('?')) continue
    if (members) checkMembers(method, name, value, members)
    else if (value === undefined) throw new ArgumentError(method, name, `${method} needs \`${name}\``)
  }
}

function checkMembers(method: string, name: string, given: unknown, members: Known): void {
  const known = Object.keys(members)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const what = `\`${name}\`, an object with ${known.map((one) => `\`${one}\``).join(', ')}`
    throw new ArgumentError(method, name, `${method} needs ${what}`)
  }
  // An instance of a class, such as a client, may have more than a call takes of it.
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(given) as object | null)
  for (const one of isPlain ? Object.keys(given) : []) {
    if (Object.hasOwn(members, one)) continue
    const message = `${method} does not know \`${one}\` of \`${name}\``
    throw new ArgumentError(method, `${name}.${one}`, message, nearest(one, known))
  }
  for (const one of known) {
    if (members[one] === 0 || (given as Readonly<Record<string, unknown>>)[one] !== undefined) continue
    throw new ArgumentError(method, `${name}.${one}`, `${method} needs \`${one}\` of \`${name}\``)
  }
}

function nameOf(parameter: Parameter): string {
  const name = typeof parameter === 'string' ? parameter : parameter[0]
  return name.endsWith('?') ? name.slice(0, -1) : name
}

/** Names out of a list, such as capabilities: an unknown one is refused with the known one that is most like it. */
export function checkNames(method: string, name: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((one) => !known.includes(one))
  if (unknown === undefined) return
  throw new ArgumentError(
    method,
    name,
    `${method} does not know \`${unknown}\` of \`${name}\``,
    nearest(unknown, known),
  )
}
