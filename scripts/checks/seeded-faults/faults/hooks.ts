import { defineFaults } from '../fault.ts'

/** Core: web hooks of the event feed. */
export const HOOK_FAULTS = defineFaults([
  {
    id: 'hook-ip-address',
    promise: 'A hook reaches public host names only.',
    find: "if (host.startsWith('[') || /^\\d+(?:\\.\\d+){3}$/.test(host)) return 'ip_address'",
    replace: '',
    tests: ['events/hooks'],
  },
  {
    id: 'hook-own-host',
    promise: 'A hook never reaches the deployment itself.',
    find: 'ownHosts: own.map((url) => new URL(url).hostname)',
    replace: 'ownHosts: []',
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-redirect',
    promise: 'A delivery goes to the address that proved itself and nowhere else.',
    find: "redirect: 'manual', headers: { 'content-type': 'application/json', 'user-agent'",
    replace: "redirect: 'follow', headers: { 'content-type': 'application/json', 'user-agent'",
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-unproved',
    promise: 'An address gets no event before it has proved itself.',
    find: "SET due_at = ? WHERE status = 'active' AND due_at IS NULL",
    replace: 'SET due_at = ? WHERE due_at IS NULL',
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-echo',
    promise: 'An address cannot prove itself by an echo.',
    find: 'answer.success && answer.data.did === caller.did && equalSecrets',
    replace: 'answer.success && equalSecrets',
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-failure-moves-on',
    promise: 'Events that a hook did not take are sent again.',
    find: 'if (events.hooks.failed(hook, failed, now)) events.add',
    replace: 'events.hooks.delivered(hook, lastOf(reading, hook), null); if (failed.isGone) events.add',
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-sixth',
    promise: 'An identity has at most five hooks.',
    find: 'if (this.#rows().length >= MAX_EVENT_HOOKS) return false',
    replace: '',
    tests: ['test/events/hook'],
  },
  {
    id: 'hook-private-name',
    promise: 'A hook never reaches a private network.',
    find: "if (labels.length < 2 || last === '' || PRIVATE_SUFFIXES.has(last)) return 'private_name'",
    replace: "if (labels.length < 2 || last === '') return 'private_name'",
    tests: ['events/hooks'],
  },
  {
    id: 'hook-port',
    promise: 'A hook reaches the port of the web alone.',
    find: "if (url.port !== '') return 'port'",
    replace: '',
    tests: ['events/hooks'],
  },
  {
    id: 'hook-hidden-characters',
    promise: 'A hook goes to the address that its owner reads.',
    find: '/^[!-~]+$/.test(text) ? URL.parse(text) : null',
    replace: 'URL.parse(text)',
    tests: ['events/hooks'],
  },
])
