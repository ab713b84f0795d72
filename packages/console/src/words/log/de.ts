import type { LogWords } from './en.ts'

export const words: LogWords = {
  title: 'Transparenz-Logs',
  lead: 'Zwei Logs halten fest, was die Dienste später nicht ändern dürfen: die Anker und jede Änderung des Schlüsselverzeichnisses. Beide wachsen nur. Diese Seite prüft die Signatur des neuesten Checkpoints und dass alles von Ihrem letzten Besuch noch da ist.',
  fingerprint: 'Fingerabdruck',
  compareFingerprint:
    'Vergleichen Sie alle 32 Ziffern mit dem, was der Betreiber anderswo veröffentlicht: auf Papier, auf einer eigenen Seite oder am Telefon. Stimmt er überein, stimmt auch jeder Schlüssel der Installation: Jeder steht auf einer Liste, die diese Schlüssel signiert haben.',
  signers: (threshold, keys) =>
    keys === 1
      ? 'Ein Schlüssel signiert die Liste.'
      : `${threshold} von ${keys} Schlüsseln müssen die Liste signieren.`,
  pinnedNow: 'Dieser Browser hat sie bei diesem Besuch festgehalten und lehnt von nun an andere ab.',
  pinnedBefore: 'Dieser Browser hat sie bei einem früheren Besuch festgehalten.',
  proposed: (threshold, keys) =>
    `Die Liste schlägt ${keys === 1 ? 'einen Zeugen' : `${keys} Zeugen`} vor, von denen ${threshold} zustimmen sollen. Niemand muss ihnen trauen: Programme verlangen die, die Sie nennen.`,
  noList: 'Die Installation hat keine signierte Liste von Schlüsseln.',
  anchors: 'Log der Anker',
  transparency: 'Log des Schlüsselverzeichnisses',
  name: 'Log',
  size: 'Einträge',
  root: 'Wurzel',
  signedAt: 'Signiert',
  witnesses: 'Zeugen',
  witnessed: (count) =>
    count === 0
      ? 'Kein Zeuge hat diesen Checkpoint mitsigniert.'
      : count === 1
        ? 'Ein Zeuge hat ihn mitsigniert.'
        : `${count} Zeugen haben ihn mitsigniert.`,
  isListed: 'Der Schlüssel des Logs steht auf der Liste, die die Listenschlüssel der Installation signiert haben.',
  firstVisit:
    'Dies ist Ihr erster Besuch. Der nächste wird prüfen, dass seither nichts geändert oder weggelassen wurde.',
  unchanged: (at) => `Seit Ihrem letzten Besuch, ${at}, kam nichts hinzu.`,
  grown: (added, at) =>
    `Seit Ihrem letzten Besuch, ${at}, ${added === 1 ? 'kam ein Eintrag' : `kamen ${added} Einträge`} hinzu. Alles von damals ist unverändert da: Das Log hat es bewiesen.`,
  contradicts:
    'Das Log widerspricht dem, was es früher gezeigt hat. Bewahren Sie beide Checkpoints auf und fragen Sie den Betreiber.',
  other: 'Seit Ihrem letzten Besuch hat ein neues Log begonnen. Es setzt das geschlossene fort.',
  treeTitle: (size) => `Baum mit ${size} Einträgen`,
  treeText: 'Jedes Dreieck ist ein vollständiger Teilbaum. Der dunklere Teil ist, was Sie beim letzten Besuch sahen.',
  subtree: (leaves) => (leaves === 1 ? '1 Eintrag' : `${leaves} Einträge`),
  emptyTree: 'Das Log hat noch keine Einträge.',
  growthTitle: 'Wachstum über Ihre Besuche',
  growthText: (first, last) => `Von ${first} Einträgen beim ersten Besuch auf jetzt ${last}.`,
  list: 'Alle Logs',
  listLead: 'Ein Log wird nach seinem Zeitraum geschlossen, und das nächste setzt es fort.',
  series: { anchors: 'Anker', transparency: 'Schlüsselverzeichnis' },
  states: { announced: 'Angekündigt', open: 'Offen', closed: 'Geschlossen' },
  state: 'Zustand',
  opened: 'Begonnen',
  compare: 'Beide Checkpoints kopieren',
  compareLead: 'Um dasselbe anderswo prüfen zu lassen: Fügen Sie sie unter „Prüfen“ ein oder geben Sie sie svc verify.',
  forget: 'Meine Besuche vergessen',
}
