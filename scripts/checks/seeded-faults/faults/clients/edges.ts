import { defineFaults } from '../../fault.ts'

/** What crosses from people, files and the network into a client, and from it to a terminal. */
export const EDGE_FAULTS = defineFaults([
  {
    id: 'client-retries-any-write',
    promise: 'A lost answer never makes the SDK do something twice.',
    find: `return hasKey || REPEATABLE.test(\`\${method} \${new URL(url).pathname}\`)`,
    replace: `return hasKey || REPEATABLE.test(\`\${method} \${new URL(url).pathname}\`) || method !== 'GET'`,
    tests: ['transport/retries', 'transport/transport'],
  },
  {
    id: 'client-retries-at-once',
    promise: 'The SDK waits for as long as a service asks.',
    find: 'return Math.min(maxDelayMs, asked + this.#random() * longest)',
    replace: 'return Math.min(maxDelayMs, this.#random() * longest)',
    tests: ['transport/retries'],
  },
  {
    id: 'client-unknown-argument',
    promise: 'A mistyped option is refused before anything is signed.',
    find: 'if (Object.hasOwn(members, one)) continue',
    replace: 'if (one.length > 0) continue',
    tests: ['test/refused-arguments'],
  },
  {
    id: 'password-as-typed',
    promise: 'A password opens the same on every keyboard.',
    find: "return typed.normalize('NFKC') as Secret",
    replace: 'return typed as Secret',
    tests: ['text/secret.test'],
  },
  {
    id: 'text-damaged',
    promise: 'No file is damaged by being read.',
    find: 'new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes)',
    replace: 'new TextDecoder(encoding, { ignoreBOM: false }).decode(bytes)',
    tests: ['text/text-of.test'],
  },
  {
    id: 'answer-without-end',
    promise: 'No server can make a client read without end.',
    find: 'if (count > mostBytes) throw tooLarge(mostBytes)',
    replace: '',
    tests: ['node/hostile-answers'],
  },
  {
    id: 'answer-by-drops',
    promise: 'No server can make a client wait without end by sending a byte now and then.',
    find: 'this.#set(Math.min(this.#timeoutMs, left + bytes * MS_PER_BYTE))',
    replace: 'this.#set(this.#timeoutMs)',
    tests: ['node/hostile-answers', 'transport/'],
  },
  {
    id: 'verdict-not-compared',
    promise: 'Evidence is never called valid for a file that was not compared.',
    find: "return about === 'nothing' || checks.some(isComparison) ? null : 'file'",
    replace: 'return null',
    tests: ['verdict/comparison.test', 'edges/compared-files'],
  },
  {
    id: 'terminal-obeys-others',
    promise: 'What others wrote is shown at a terminal, and never obeyed.',
    find: '(at % 2 === 0 ? visibleOf(part) :',
    replace: '(at % 2 === 0 ? part :',
    tests: ['edges/hostile-text'],
  },
])
