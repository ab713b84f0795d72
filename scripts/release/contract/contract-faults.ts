import type { Contract, TypeText } from './rpc-contract.ts'

/**
 * What a new release must not do to what the previous one calls, and to what it calls of the previous one. Adding is
 * allowed: a class, a method, an optional parameter at the end, an optional member of a type.
 */
export function contractFaults(previous: Contract, next: Contract): string[] {
  const methods = Object.entries(previous.methods).flatMap(([owner, before]) =>
    Object.entries(before).flatMap(([method, signature]) => {
      const now = next.methods[owner]?.[method]
      if (now === undefined) return [`${owner}.${method} is gone`]
      return signature === now || isLonger(signature, now) ? [] : [`${owner}.${method} was ${signature}, and is ${now}`]
    }),
  )
  const types = Object.entries(previous.types).flatMap(([name, before]) => {
    const now = next.types[name]
    return now === undefined ? [] : typeFaults(before, now).map((fault) => `type ${name}: ${fault}`)
  })
  return [...methods, ...types]
}

/** Whether only optional parameters were added at the end. */
function isLonger(before: string, now: string): boolean {
  const [parameters, result] = split(before)
  const [longer, otherResult] = split(now)
  if (result !== otherResult || !longer.startsWith(parameters)) return false
  const added = longer.slice(parameters.length).replace(/^, /, '')
  return /^\w+\?: /.test(added) && !/, \w+: /.test(added)
}

/** The text of the parameters, and of the result. */
function split(signature: string): [string, string] {
  let depth = 0
  for (let index = 0; index < signature.length; index += 1) {
    const character = signature[index]
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (character === ')' && depth === 0) return [signature.slice(1, index), signature.slice(index + 1)]
  }
  return [signature, '']
}

function typeFaults(before: TypeText, now: TypeText): string[] {
  if (typeof before === 'string' || typeof now === 'string')
    return JSON.stringify(before) === JSON.stringify(now)
      ? []
      : [`was ${JSON.stringify(before)}, and is ${JSON.stringify(now)}`]
  const changed = Object.entries(before).flatMap(([member, text]) => {
    if (now[member] === undefined) return [`${member} is gone`]
    return now[member] === text ? [] : [`${text} is now ${now[member]}`]
  })
  const required = Object.entries(now).flatMap(([member, text]) =>
    member in before || text.startsWith(`${member}?`) ? [] : [`${member} is new and not optional`],
  )
  return [...changed, ...required]
}
