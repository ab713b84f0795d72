import type { ProfileWords } from './en.ts'

export const words: ProfileWords = {
  title: 'Identität',
  lead: 'Was jeder von einer Identität sehen kann. Schlüssel, Einträge und Anker werden in diesem Browser geprüft.',
  did: 'DID',
  open: 'Zeigen',
  malformed: 'Eine DID dieser Plattform ist did:svc: und 32 Buchstaben, Ziffern, Binde- oder Unterstriche.',
  copyDid: 'DID kopieren',
  verify: 'Prüfen',
  state: 'Zustand',
  states: {
    resolves: 'Registriert: Ihr Dokument nennt den aktuellen Hauptschlüssel.',
    absent: 'Nicht zur Auflösung registriert: Kein Dokument nennt ihre Schlüssel. Bewiesen sind sie unten trotzdem.',
    deactivated: 'Von ihrem Eigentümer endgültig beendet.',
  },
  created: 'Registriert',
  keys: 'Hauptschlüssel',
  keysLead: (count) =>
    count === 1
      ? 'Ein Schlüssel, aus dem die DID gebildet ist. Er wurde nie ersetzt.'
      : `Die DID ist aus dem ersten Schlüssel gebildet. Er wurde ${count === 2 ? 'einmal' : `${count - 1}-mal`} ersetzt, jedes Mal mit Beweis durch den vorigen.`,
  epoch: (epoch) => `Epoche ${epoch}`,
  current: 'Aktuell',
  superseded: 'Ersetzt',
  rotation: 'Ersetzen des Hauptschlüssels',
  noRotation: 'Es wurde nie beantragt.',
  rotationOf: (epoch, at) => `Ein Schlüssel für Epoche ${epoch} wurde am ${at} beantragt.`,
  rotationStatus: {
    pending: 'Er wartet und kann noch verhindert werden.',
    active: 'Er gilt seitdem.',
    frozen: 'Er wurde verhindert und wird nie gelten.',
    cancelled: 'Er wurde zurückgezogen und wird nie gelten.',
    displaced: 'Ein Antrag mit mehr Beweisen trat an seine Stelle.',
    disputed: 'Ein gleich starker Antrag und dieser haben einander beendet.',
  },
  services: 'Dienste',
  noServices: 'Ihr Dokument nennt keine Dienste.',
  anchors: 'Anker',
  noAnchors: 'Sie hat nichts verankert.',
  anchoredAt: (at) => `Verankert ${at}`,
  check: 'Prüfen',
  consent: 'Was Maschinen dürfen',
  noConsent: 'Sie hat über ihre Inhalte nichts erklärt.',
  more: (count) => `Gezeigt werden die ersten ${count}.`,
}
