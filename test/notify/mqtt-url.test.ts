import { expect, it } from 'vitest';
import { brokerOf } from '../../src/commands/mqtt-broker.ts';
import { mqttProblem } from '../../src/notify/mqtt-url.ts';

it.each([
  'mqtt://broker',
  'mqtts://anna:p%40ss@broker:8884/',
  'mqtt://anna@[::1]/Noise_of-1/',
  `mqtt://broker/${'a'.repeat(40)}`,
])('accepts %s', (url) => {
  expect(mqttProblem(new URL(url))).toBeUndefined();
});

it('decodes user and password, and leaves default ports to MQTT.js', () => {
  expect(brokerOf(new URL('mqtts://anna:p%40ss%25@[::1]/noise'))).toMatchObject({
    protocol: 'mqtts',
    host: '::1',
    username: 'anna',
    password: 'p@ss%',
  });
  expect(brokerOf(new URL('mqtt://broker:1884'))).toMatchObject({
    protocol: 'mqtt',
    host: 'broker',
    port: 1884,
  });
  expect(brokerOf(new URL('mqtt://broker'))).not.toHaveProperty('port');
});

it.each([
  ['https://broker', 'mqtt://'],
  ['mqtt:broker', 'host'],
  ['mqtt:///noise', 'host'],
  ['mqtt://anna:secret@broker/noise?x=1', 'query'],
  ['mqtt://anna:secret@broker/noise#x', 'fragment'],
  ['mqtt://broker/a/b', 'letters'],
  ['mqtt://broker/+', 'letters'],
  ['mqtt://broker/%C3%A4', 'letters'],
  ['mqtt://broker//', 'letters'],
  [`mqtt://broker/${'a'.repeat(41)}`, '40'],
  ['mqtt://broker/homeassistant', 'another'],
  ['mqtt://:secret@broker', 'user'],
  ['mqtt://anna:secret%@broker', '%25'],
])('refuses %s', (url, fact) => {
  expect(mqttProblem(new URL(url))).toContain(fact);
  expect(mqttProblem(new URL(url))).not.toMatch(/anna|secret%/);
});
