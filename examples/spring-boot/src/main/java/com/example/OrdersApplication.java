package com.example;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Keeps orders in a store. Run it by {@code mvn -q spring-boot:run}, then:
 *
 * <pre>
 * curl -H 'Content-Type: application/json' -d '{"item":"tea"}' localhost:8080/orders
 * curl localhost:8080/orders/1
 * curl localhost:8080/orders
 * curl -X DELETE localhost:8080/orders/1
 * curl localhost:8080/actuator/health
 * curl localhost:8080/actuator/prometheus
 * </pre>
 */
@SpringBootApplication
public class OrdersApplication {
    public static void main(String[] args) {
        SpringApplication.run(OrdersApplication.class, args);
    }
}
